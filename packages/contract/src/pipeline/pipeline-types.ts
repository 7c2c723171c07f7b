/** Labels of pipeline types, as declared by the kinds. */
import { kinds, lineOf } from '../kinds.ts';
import type { Kind } from '../kernel/subject.ts';

/** Returns undefined for a type that no kind declares. */
export const pipelineTypeLabel = (type: string): string | undefined => {
  const kind = kinds().find(({ pipelines = {} }) => Object.hasOwn(pipelines, type));
  return kind?.pipelines?.[type];
};

/** Returns undefined for a step that no kind declares. */
export const declaredStepName = (code: string): string | undefined =>
  kinds().find(({ steps = {} }) => Object.hasOwn(steps, code))?.steps?.[code];

/** Pipeline types of all kinds, or of one kind and everything below it. */
export const pipelineTypes = (of?: Kind): readonly string[] =>
  kinds()
    .filter((kind) => of === undefined || lineOf(kind).includes(of))
    .flatMap(({ pipelines = {} }) => Object.keys(pipelines));
