/** The lifecycle notice of an entity that is declared as a kind. */
import type { Can } from '@slipway/contract/kernel/fields.ts';
import type { Kind } from '@slipway/contract/kernel/subject.ts';
import { confirmAction, type ConfirmedAction } from '#kit/confirm/confirm-action.ts';
import { LifecycleNotice, type LifecycleNoticeProps } from './LifecycleNotice.tsx';

export interface EntityNoticeProps extends Pick<LifecycleNoticeProps, 'team' | 'pipelineId' | 'showsFailedChange'> {
  kind: Kind;
  /** The names of its address: `{ app, env, topic }`. */
  names: Readonly<Record<string, string>>;
  entity: { readonly state: LifecycleNoticeProps['state']; readonly can: Can };
  discard: ConfirmedAction;
}

export const EntityNotice = ({ kind, names, entity: { state, can }, discard, ...props }: EntityNoticeProps) => (
  <LifecycleNotice
    {...props}
    noun={kind.label.toLowerCase()}
    subject={{ kind: kind.kind, names }}
    state={state}
    can={can}
    onDiscard={() => confirmAction(discard)}
  />
);
