/** Words of a shell script that may hold anything. */

export const shellQuote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

export const shellWords = (words: readonly string[]): string => words.map(shellQuote).join(' ');
