import { expect, test } from 'vitest';
import { LineSplitter, MAX_LINE } from './line-splitter.ts';

test('lines are whole whatever pieces they come in, even within a character', () => {
  const splitter = new LineSplitter();
  const bytes = Buffer.from('eins\r\nzwölf\n\ndrei');
  const lines = [...bytes].flatMap((byte) => splitter.push(Buffer.of(byte)));
  expect([...lines, ...splitter.end()]).toEqual(['eins', 'zwölf', '', 'drei']);
  expect(splitter.end()).toEqual([]);
});

test('an endless line is cut, and what follows it is a line again', () => {
  const splitter = new LineSplitter();
  const lines = [
    ...Array.from({ length: 4 }, () => splitter.push(Buffer.alloc(MAX_LINE, 'x'))).flat(),
    ...splitter.push(Buffer.from('x\nnext\n')),
  ];
  expect(lines).toHaveLength(2);
  expect(lines[0]).toBe(`${'x'.repeat(MAX_LINE)} … (cut)`);
  expect(lines[1]).toBe('next');
});
