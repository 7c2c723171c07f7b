/** Live hints: that something changed, by kind and names. The data still comes by GET. */
import * as z from 'zod/mini';
import { kindOf } from './kinds.ts';
import { pipelineKind } from '../pipeline/pipeline.kind.ts';
import type { Subject } from './subject.ts';

/** `{ kind, …names }`, `team` where it is known, and of a pipeline `about`, the kind that it works on. */
export const ChangeHint = z
  .record(z.string(), z.string())
  .check(z.refine(({ kind, about }) => kindOf(kind ?? '') !== undefined && (about === undefined || kindOf(about) !== undefined)));
export interface ChangeHint {
  readonly kind: string;
  readonly [name: string]: string;
}
/** Undefined for what is no hint, or of a kind that this version does not know. */
export const hintOf = (value: unknown): ChangeHint | undefined => {
  const parsed = ChangeHint.safeParse(value);
  return parsed.success ? { kind: '', ...parsed.data } : undefined;
};

/** Of a pipeline, for the lists of whatever it is about. */
export const pipelineHint = ({ kind, names, team }: Subject, pipelineId: string): ChangeHint => ({
  ...names,
  ...(team === undefined ? {} : { team }),
  kind: pipelineKind.kind,
  about: kind,
  pipelineId,
});

/** How the ids of the routes begin whose answers a hint makes old. */
export const answersOf = ({ kind, about }: ChangeHint): readonly string[] => [
  ...(kindOf(kind)?.shownBy ?? []),
  ...(about === undefined ? [] : (kindOf(about)?.shownBy ?? [])),
];
