/** Compatibility levels: which earlier versions a new one is checked against, and in which direction. */
import type { CompatibilityIssue, CompatibilityLevel, ParsedSchema, VersionIssue } from '@slipway/foundation/ports/schema.ts';
import { checkCompatibility } from './check-compatibility.ts';

export interface SchemaVersion {
  readonly version: number;
  readonly schema: ParsedSchema;
}

export interface CompatibilityVerdict {
  readonly isCompatible: boolean;
  /** In the order of the new version's text. For the same place, the newest earlier version comes first. */
  readonly issues: readonly VersionIssue[];
  /** The versions compared with, newest first. Empty for NONE and for the first version. */
  readonly checked: readonly number[];
}

/** Judges a new version. All places and fixes refer to its text. `versions` are the earlier ones, in any order. */
export const checkLevel = (level: CompatibilityLevel, next: ParsedSchema, versions: readonly SchemaVersion[]): CompatibilityVerdict => {
  const newestFirst = [...versions].sort((a, b) => b.version - a.version);
  const judged = level === 'NONE' ? [] : level.endsWith('_TRANSITIVE') ? newestFirst : newestFirst.slice(0, 1);
  const issues = judged.flatMap(({ version, schema }) => [
    ...(level.startsWith('FORWARD') ? [] : issuesOf(checkCompatibility(next, schema, 'reader'), version, 'BACKWARD')),
    ...(level.startsWith('BACKWARD') ? [] : issuesOf(checkCompatibility(schema, next, 'writer'), version, 'FORWARD')),
  ]);
  return {
    isCompatible: issues.length === 0,
    issues: issues.sort((a, b) => a.from - b.from || b.version - a.version),
    checked: judged.map(({ version }) => version),
  };
};

const issuesOf = (issues: readonly CompatibilityIssue[], version: number, direction: VersionIssue['direction']): VersionIssue[] =>
  issues.map((issue) => ({ ...issue, version, direction }));
