/** Sample requests and responses for tests, made from the tables, with a value for every field. */
import { apiTables, type Api } from './apis.ts';
import type { Field } from './field.ts';

export const LARGE = Buffer.alloc(3000, 7);
const scalars = {
  int8: -5,
  int16: -300,
  int32: -70_000,
  int64: -(2 ** 40) - 3,
  uint16: 60_000,
  bool: true,
  string: 'grüße',
  uuid: 'AAECAwQFBgcICQoLDA0ODw',
  bytes: Buffer.from('bytes'),
  records: LARGE,
} as const;
const isScalar = (type: string): type is keyof typeof scalars => type in scalars;

/** Returns a value for each field in the version, and the default for others, like a reader. */
export const sample = (fields: readonly Field[], version: number): Record<string, unknown> =>
  Object.fromEntries(
    fields.flatMap((field): [string, unknown][] => {
      if (version < (field.from ?? 0) || version > (field.to ?? Infinity)) return [];
      const type = field.type.replace('[]', '');
      const value = isScalar(type) ? scalars[type] : sample(field.fields ?? [], version);
      return [[field.name, field.type.startsWith('[]') ? [value, value] : value]];
    }),
  );
export const apis = Object.keys(apiTables).filter((name): name is Api => name in apiTables);
export const versionsOf = (api: Api): number[] => {
  const highest = Math.max(
    ...(JSON.stringify(apiTables[api])
      .match(/"(from|to|tagged)":(\d+)/g)
      ?.map((text) => Number(text.split(':')[1])) ?? []),
    0,
  );
  const { flexible } = apiTables[api];
  return Array.from({ length: Math.max(highest, flexible === Infinity ? 0 : flexible) + 1 }, (_, version) => version);
};
