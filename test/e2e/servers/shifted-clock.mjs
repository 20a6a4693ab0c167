// Loaded before the program (`node --import`): its clock starts at a given time, and goes on from there.

const ahead = Date.parse(process.env.OUTRIGGER_E2E_STARTS_AT) - Date.now();
const { now } = Date;

class ShiftedDate extends Date {
  constructor(...given) {
    super(...(given.length === 0 ? [now() + ahead] : given));
  }

  static now() {
    return now() + ahead;
  }
}

globalThis.Date = ShiftedDate;
