/** Judges a new version with the platform's own checkers. */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { CompatibilityLevel, ParsedSchema, SchemaProblem } from '@slipway/foundation/ports/schema.ts';
import type { SchemaVerdict } from '@slipway/foundation/ports/schema-registry.ts';
import type { SchemaReader } from './schema-reader.ts';

export interface Judging {
  readonly environment: Environment;
  readonly level: CompatibilityLevel;
  /** Oldest first. */
  readonly versions: readonly number[];
  /** The version that already has this content. */
  readonly same: number | undefined;
  idOf(version: number): number | Promise<number>;
}

export const refusedVerdict = (
  problems: readonly SchemaProblem[],
  { level, versions }: Pick<Judging, 'level' | 'versions'>,
): SchemaVerdict => ({
  problems,
  isCompatible: false,
  level,
  issues: [],
  checked: [],
  newest: versions.at(-1),
  same: undefined,
  disagreement: undefined,
});

/** Returns the versions that the level requires. */
const comparedVersions = ({ level, versions }: Judging): readonly number[] =>
  level === 'NONE' ? [] : level.endsWith('_TRANSITIVE') ? versions : versions.slice(-1);

export const judge = async (reader: SchemaReader, next: ParsedSchema, judging: Judging): Promise<SchemaVerdict> => {
  const { environment, level, versions, same } = judging;
  const schemas = [];
  for (const version of comparedVersions(judging))
    schemas.push({ version, schema: await reader.parsed(environment, await judging.idOf(version)) });
  // Loaded on the first verdict, like the parsers (schema-reader.ts).
  const { checkLevel } = await import('../compatibility-level.ts');
  const { isCompatible, issues, checked } = checkLevel(level, next, schemas);
  return { problems: [], isCompatible, level, issues, checked, newest: versions.at(-1), same, disagreement: undefined };
};
