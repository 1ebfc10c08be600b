/** The values of lowercase hexadecimal digits by their byte. */
export const notADigit = 255;
export const digitValues = new Uint8Array(256).fill(notADigit);
for (const [value, digit] of [...'0123456789abcdef'].entries()) digitValues[digit.charCodeAt(0)] = value;

const template = '0000-00-00T00:00:00.000Z';
const zero = 0x30;
const [colon, point, capitalT, capitalZ] = [0x3a, 0x2e, 0x54, 0x5a];

/** The milliseconds of a text that `Date.toISOString` writes for a time from 1970 on; undefined if it is another text. */
export function timeAt(source: Buffer, start: number): number | undefined {
  for (let index = 0; index < template.length; index++) {
    const [byte, expected] = [source[start + index]!, template.charCodeAt(index)];
    if (expected === zero ? byte < zero || byte > zero + 9 : byte !== expected) return undefined;
  }
  const [year, month, day] = [number(source, start, 4), number(source, start + 5, 2), number(source, start + 8, 2)];
  const [hour, minute] = [number(source, start + 11, 2), number(source, start + 14, 2)];
  if (year < 1970 || month === 0 || month > 12 || day === 0 || hour > 23 || minute > 59) return undefined;
  const second = number(source, start + 17, 2);
  const midnight = Date.UTC(year, month - 1, day);
  // A day that the month does not have is one of the next month.
  if (second > 59 || new Date(midnight).getUTCDate() !== day) return undefined;
  return midnight + ((hour * 60 + minute) * 60 + second) * 1_000 + number(source, start + 20, 3);
}

const msPerDay = 24 * 60 * 60 * 1_000;

/** Writes times as `Date.toISOString` does. Most are of the same day as the one before, which makes it much faster. */
export class TimeWriter {
  private day = -1;
  private dayText = '';

  /** Returns where the text ends. */
  write(time: number, target: Buffer, start: number): number {
    const day = Math.floor(time / msPerDay);
    if (day !== this.day) {
      this.day = day;
      this.dayText = new Date(day * msPerDay).toISOString().split('T', 1)[0]!;
    }
    let end = start;
    for (let index = 0; index < this.dayText.length; index++) target[end++] = this.dayText.charCodeAt(index);
    const ms = time - day * msPerDay;
    target[end++] = capitalT;
    end = writeNumber(target, end, Math.floor(ms / 3_600_000), 2, colon);
    end = writeNumber(target, end, Math.floor(ms / 60_000) % 60, 2, colon);
    end = writeNumber(target, end, Math.floor(ms / 1_000) % 60, 2, point);
    return writeNumber(target, end, ms % 1_000, 3, capitalZ);
  }
}

function writeNumber(target: Buffer, start: number, value: number, digits: number, following: number): number {
  let rest = value;
  for (let at = start + digits - 1; at >= start; at--) {
    target[at] = zero + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  target[start + digits] = following;
  return start + digits + 1;
}

function number(source: Buffer, start: number, digits: number): number {
  let value = 0;
  for (let at = start; at < start + digits; at++) value = value * 10 + source[at]! - zero;
  return value;
}
