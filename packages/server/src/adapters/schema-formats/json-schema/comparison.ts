/** What the checks of one kind of value (numbers and texts, objects, arrays) need of the comparison that they are part of. */
import type { CompatibilityIssue } from '#ports/schema.ts';
import type { Budget } from '../schema-limits.ts';
import type { JsonNode } from '../text/json-text.ts';
import type { Here, JsonIssues } from './json-issues.ts';
import type { WriterSide } from './writer-side.ts';

/** A constraint of the reader, asked of what was written. */
export type Constraint = (written: WriterSide) => CompatibilityIssue[];

export interface Comparison {
  readonly issues: JsonIssues;
  readonly budget: Budget;
  /** Why a schema of the reader does not take all that was written; `written` hold all at once. */
  compare(reader: JsonNode, written: readonly JsonNode[], around: Here): CompatibilityIssue[];
  /** Whether two schemas are the same word for word, with all that they lead to. */
  isSame(a: JsonNode, b: JsonNode): boolean;
}
