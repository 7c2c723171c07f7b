/** What a caller says when it starts a pipeline. */
import type { ChangeHint } from '@slipway/contract/platform.ts';
import type { Person } from './definition.ts';

export interface StartOptions<I> {
  /** JSON, no secrets: it is stored and may be shown. */
  readonly input: I;
  /** One active run per subject: `app:berth`, `service:berth/development/berth`. */
  readonly subject: string;
  readonly team?: string;
  readonly app?: string;
  readonly env?: string;
  readonly service?: string;
  readonly revision?: string;
  readonly createdBy: Person;
  /** person, push, image, settings, rollback or platform. */
  readonly trigger: string;
  readonly facts?: Record<string, string>;
  /** A second start by the same person with this key answers the pipeline that the first one started. */
  readonly idempotencyKey?: string;
}

export interface Started {
  readonly pipelineId: string;
  readonly runId: string;
}

export const hintOf = (
  about: Pick<StartOptions<object>, 'team' | 'app' | 'env' | 'service' | 'revision'>,
  pipelineId: string,
): ChangeHint => ({
  kind: 'pipeline',
  ...(about.team ? { team: about.team } : {}),
  ...(about.app ? { app: about.app } : {}),
  ...(about.env ? { env: about.env } : {}),
  ...(about.service ? { service: about.service } : {}),
  ...(about.revision ? { revision: about.revision } : {}),
  pipelineId,
});

/** Who asks by hand, and who by a program with an API token. */
export const triggerBy = ({ origin }: { readonly origin: string }): 'person' | 'token' => (origin === 'token' ? 'token' : 'person');
