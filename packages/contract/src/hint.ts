/** Live hints: tell clients that something changed, by kind and names. Clients then fetch the data with GET. */
import * as z from 'zod/mini';
import { kindOf } from './kinds.ts';
import { pipelineKind } from './kinds/pipeline.kind.ts';
import type { Subject } from './kernel/subject.ts';

/** `{ kind, …names }`, plus `team` if known. A pipeline's hint also has `about`: the kind that the pipeline works on. */
export const ChangeHint = z
  .record(z.string(), z.string())
  .check(z.refine(({ kind, about }) => kindOf(kind ?? '') !== undefined && (about === undefined || kindOf(about) !== undefined)));
export interface ChangeHint {
  readonly kind: string;
  readonly [name: string]: string;
}
/** Parses a hint. Returns undefined for invalid hints and for kinds that this version does not know. */
export const hintOf = (value: unknown): ChangeHint | undefined => {
  const parsed = ChangeHint.safeParse(value);
  return parsed.success ? { kind: '', ...parsed.data } : undefined;
};

/** Returns the hint for a pipeline, so that the lists of its subject update, too. */
export const pipelineHint = ({ kind, names, team }: Subject, pipelineId: string): ChangeHint => ({
  ...names,
  ...(team === undefined ? {} : { team }),
  kind: pipelineKind.kind,
  about: kind,
  pipelineId,
});

/** Returns the prefixes of the route ids whose cached answers a hint invalidates. */
export const answersOf = ({ kind, about }: ChangeHint): readonly string[] => [
  ...(kindOf(kind)?.shownBy ?? []),
  ...(about === undefined ? [] : (kindOf(about)?.shownBy ?? [])),
];
