/** The format of Debian's control files and Python's metadata: `Field: value` lines, continued by lines that start with white space. */

/** Fields by lowercase name; the first of duplicates counts. Contains only `wanted` fields. */
export type Stanza = ReadonlyMap<string, string>;

const fieldOf = (line: string): { name: string; value: string } | undefined => {
  const at = line.indexOf(':');
  return at <= 0 ? undefined : { name: line.slice(0, at).toLowerCase(), value: line.slice(at + 1).trim() };
};

/** Yields the stanzas, in linear time. */
export function* readStanzas(text: string, wanted: ReadonlySet<string>): Generator<Stanza> {
  let stanza = new Map<string, string>();
  let start = 0;
  while (start <= text.length) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end < 0 ? undefined : end).replace(/\r$/, '');
    start = end < 0 ? text.length + 1 : end + 1;
    if (line.trim() === '') {
      if (stanza.size > 0) yield stanza;
      stanza = new Map();
    } else if (line[0] !== ' ' && line[0] !== '\t') {
      const field = fieldOf(line);
      if (field && wanted.has(field.name) && !stanza.has(field.name)) stanza.set(field.name, field.value);
    }
  }
  if (stanza.size > 0) yield stanza;
}
