// Loaded before the program (`node --import`): its clock starts at a given time and goes on from there, and leaps to another
// one at a signal. So what is to happen before that time happens however slowly the program starts.

const { now } = Date;
const { OUTRIGGER_E2E_STARTS_AT: start, OUTRIGGER_E2E_LEAPS_TO: target } = process.env;
let ahead = Date.parse(start) - now();
process.on('SIGUSR2', () => {
  ahead = Date.parse(target) - now();
});

class ShiftedDate extends Date {
  constructor(...given) {
    super(...(given.length === 0 ? [now() + ahead] : given));
  }

  static now() {
    return now() + ahead;
  }
}

globalThis.Date = ShiftedDate;
