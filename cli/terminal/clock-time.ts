/** `4:05`, or `1:04:05`. */
export function clockTime(at: number): string {
  const whole = Math.floor(at);
  const hours = Math.floor(whole / 3_600);
  const minutes = Math.floor(whole / 60) % 60;
  const seconds = twoDigits(whole % 60);
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${seconds}` : `${minutes}:${seconds}`;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');
