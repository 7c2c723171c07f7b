/** What pipelines do, in words, as the kinds name their types. */
import { kinds, lineOf } from '../kernel/kinds.ts';
import type { Kind } from '../kernel/subject.ts';

/** Undefined for a type that no kind names. */
export const pipelineTypeLabel = (type: string): string | undefined => {
  const kind = kinds().find(({ pipelines = {} }) => Object.hasOwn(pipelines, type));
  return kind?.pipelines?.[type];
};

/** Of every kind, or of one and what lies in it. */
export const pipelineTypes = (of?: Kind): readonly string[] =>
  kinds()
    .filter((kind) => of === undefined || lineOf(kind).includes(of))
    .flatMap(({ pipelines = {} }) => Object.keys(pipelines));
