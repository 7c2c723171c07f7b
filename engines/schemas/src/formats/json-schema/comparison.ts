/** The interface between the comparison and its checks for one kind of value (numbers and strings, objects, arrays). */
import type { CompatibilityIssue } from '@slipway/foundation/ports/schema.ts';
import type { Budget } from '../schema-limits.ts';
import type { JsonNode } from '../text/json-text.ts';
import type { Here, JsonIssues } from './json-issues.ts';
import type { WriterSide } from './writer-side.ts';

/** Checks one constraint of the reader against the writer. */
export type Constraint = (written: WriterSide) => CompatibilityIssue[];

export interface Comparison {
  readonly issues: JsonIssues;
  readonly budget: Budget;
  /** Returns why a reader's schema does not accept everything written. All of `written` hold together. */
  compare(reader: JsonNode, written: readonly JsonNode[], around: Here): CompatibilityIssue[];
  /** Returns true if two schemas are literally the same, including the targets of references. */
  isSame(a: JsonNode, b: JsonNode): boolean;
}
