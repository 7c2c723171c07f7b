/** Quotes arbitrary words for a shell script. */

export const shellQuote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

export const shellWords = (words: readonly string[]): string => words.map(shellQuote).join(' ');
