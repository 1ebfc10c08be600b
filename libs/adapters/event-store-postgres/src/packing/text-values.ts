/** The values of lowercase hexadecimal digits by their byte. */
export const notADigit = 255;
export const digitValues = new Uint8Array(256).fill(notADigit);
for (const [value, digit] of [...'0123456789abcdef'].entries()) digitValues[digit.charCodeAt(0)] = value;

const template = '0000-00-00T00:00:00.000Z';
const zero = 0x30;

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

function number(source: Buffer, start: number, digits: number): number {
  let value = 0;
  for (let at = start; at < start + digits; at++) value = value * 10 + source[at]! - zero;
  return value;
}
