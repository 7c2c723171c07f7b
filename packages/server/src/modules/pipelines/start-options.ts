/** Options for starting a pipeline. */
import type { Subject } from '@slipway/contract/kernel/subject.ts';
import type { Person } from './definition.ts';

export interface StartOptions<I> {
  /** JSON, no secrets: it is stored and may be shown. */
  readonly input: I;
  /** Resource of the pipeline. Determines its page, lists, change hints and owner. */
  readonly subject: Subject;
  /** Allows one run at a time. Defaults to the subject; runs of a revision share the lock of its service. */
  readonly lock?: Subject;
  readonly createdBy: Person;
  /** person, push, image, settings, rollback or platform. */
  readonly trigger: string;
  readonly facts?: Record<string, string>;
}

export interface Started {
  readonly pipelineId: string;
  readonly runId: string;
}

/** Returns `token` for callers with an API token, otherwise `person`. */
export const triggerBy = ({ origin }: { readonly origin: string }): 'person' | 'token' => (origin === 'token' ? 'token' : 'person');
