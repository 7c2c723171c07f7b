import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellQuote } from './shell-script.ts';

test('quoted words reach a shell as they are', () => {
  for (const word of ['plain', "it's", '$HOME `id` "x" \\', 'two\nlines', '-n', '']) {
    expect(execFileSync('/bin/sh', ['-c', `printf %s ${shellQuote(word)}`], { encoding: 'utf8' })).toBe(word);
  }
});
