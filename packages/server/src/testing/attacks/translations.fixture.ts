/** A catalogue of messages as the C library reads it (GNU .mo). Source: the gettext manual, "The Format of GNU MO Files". */
export function translations(messages: Readonly<Record<string, string>>): Buffer {
  const rows = Object.entries({ '': 'Content-Type: text/plain; charset=UTF-8\n', ...messages }).toSorted(([left], [right]) =>
    left < right ? -1 : 1,
  );
  const header = 28;
  const strings = [...rows.map(([original]) => original), ...rows.map(([, translated]) => translated)];
  const table = Buffer.alloc(header + strings.length * 8);
  const values = [0x9504_12de, 0, rows.length, header, header + rows.length * 8, 0, table.length];
  for (const [index, value] of values.entries()) table.writeUInt32LE(value, index * 4);
  let offset = table.length;
  for (const [index, text] of strings.entries()) {
    table.writeUInt32LE(Buffer.byteLength(text), header + index * 8);
    table.writeUInt32LE(offset, header + index * 8 + 4);
    offset += Buffer.byteLength(text) + 1;
  }
  return Buffer.concat([table, ...strings.map((text) => Buffer.from(`${text}\0`))]);
}
