/** Text for a terminal: lines of 80 columns, and colors where somebody sees them. */
import { styleText } from 'node:util';

export const COLUMNS = 80;

/** Plain text unless standard output is a terminal that shows colors. */
export const painted = (color: 'green' | 'yellow' | 'red' | 'dim', text: string): string =>
  process.stdout.isTTY && !process.env['NO_COLOR'] ? styleText(color, text) : text;

/** Hides user names and passwords in addresses. */
export const withoutCredentials = (text: string): string => text.replaceAll(/:\/\/[^/\s]*@/g, '://…@');

/** Breaks text between words. Words that are longer than a line stay whole. */
export const wrapped = (text: string, width: number): string[] => {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
};
