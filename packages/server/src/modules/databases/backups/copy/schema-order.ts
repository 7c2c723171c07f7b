/** Sorts statements by dependency, then by rank, then by name. */

export interface SchemaObject {
  /** Catalog and OID, as `pg_depend` names an object: `pg_class/16384`. Several statements may share an object. */
  readonly key: string;
  /** Kind of statement: schemas first, comments last. */
  readonly rank: number;
  readonly name: string;
  readonly sql: string;
}
export interface Dependencies {
  readonly needs: readonly { readonly key: string; readonly needs: string }[];
  /** Maps objects that are created with another object: the row type of a table, the index of a primary key. */
  readonly aliases: ReadonlyMap<string, string>;
}

export const ordered = (objects: readonly SchemaObject[], { needs, aliases }: Dependencies): string[] => {
  const byKey = Map.groupBy(objects, ({ key }) => key);
  const real = (key: string): string => aliases.get(key) ?? key;
  const needed = new Map<string, Set<string>>();
  for (const edge of needs) {
    const [from, to] = [real(edge.key), real(edge.needs)];
    if (from === to || !byKey.has(from) || !byKey.has(to)) continue;
    const of = needed.get(from) ?? new Set();
    needed.set(from, of.add(to));
  }
  const sorted = objects.toSorted((one, other) => one.rank - other.rank || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
  const seen = new Set<string>();
  const made = new Set<SchemaObject>();
  const statements: string[] = [];
  /** Breaks cycles at the first object visited. If that order is invalid, the backup's check fails. */
  const add = (object: SchemaObject): void => {
    if (made.has(object)) return;
    if (!seen.has(object.key)) {
      seen.add(object.key);
      for (const key of needed.get(object.key) ?? []) {
        // The first statement creates the object. Nothing depends on the statements after it, such as its comment.
        const [first] = byKey.get(key) ?? [];
        if (first && !seen.has(key)) add(first);
      }
    }
    if (made.has(object)) return;
    made.add(object);
    statements.push(object.sql);
  };
  for (const object of sorted) add(object);
  return statements;
};
