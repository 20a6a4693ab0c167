/** A time of a report, in seconds from its start: by the clock where the start is known, else from the start. */
export function timeText(at: number, start: number | null): string {
  if (start !== null) {
    return new Date(start + at * 1_000).toISOString().slice(11, 19);
  }
  const whole = Math.floor(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3_600);
  const minutes = Math.floor(whole / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}
