/** Actions for a revision: enable or disable, roll back, compare, delete. Unavailable actions say why. */
import type { Revision } from '@slipway/contract/service/revision.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Menu } from '@slipway/ui/overlay/Menu.tsx';
import { Ellipsis, GitCompare, ScrollText, Trash2, Undo2 } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { paths } from '#entities/paths.ts';
import { disabledUnless } from '#kit/error/messages.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import { rollbackReason, type RevisionAction } from './revision-confirm.ts';

/** Loads the dialogs and their diff view when the user is about to need them. */
const loadRollback = () => import('./RollbackDialog.tsx');
const RollbackDialog = lazy(loadRollback);
const RevisionActionDialog = lazy(() => import('./RevisionActionDialog.tsx'));

/** `?rollback=1` opens the dialog. */
const defaults = { rollback: '', with: '' };

export interface RevisionActionsProps {
  revision: Revision;
  team: string;
  /** The default revision to compare with: the serving one, otherwise the previous one. */
  other: string | undefined;
}

export function RevisionActions({ revision, team, other }: RevisionActionsProps) {
  const { state, set, hrefOf } = useUrlState(defaults);
  const [asked, setAsked] = useState<RevisionAction>();
  const place = { app: revision.app, env: revision.environment, service: revision.service, revision: revision.name };
  const toggle: RevisionAction = revision.enabled ? 'disable' : 'enable';
  const reason = (verb: string) => disabledUnless(revision.can, verb, { team });
  const back = rollbackReason(revision, team);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <Button onClick={() => setAsked(toggle)} {...reason(toggle)}>
        {toggle === 'enable' ? 'Enable' : 'Disable'}
      </Button>
      <Button
        ref={button}
        icon={<Undo2 aria-hidden="true" />}
        onPointerEnter={() => void loadRollback()}
        onFocus={() => void loadRollback()}
        onClick={() => set({ rollback: '1' }, { replace: true })}
        {...(back === undefined ? {} : { disabledReason: back })}
      >
        Roll back to this
      </Button>
      <Menu
        trigger={<IconButton label={`More actions for ${revision.name}`} icon={<Ellipsis aria-hidden="true" />} />}
        items={[
          {
            label: other === undefined ? 'Compare' : `Compare with ${other}`,
            icon: <GitCompare aria-hidden="true" />,
            href: `${hrefOf({ with: other ?? '' })}#compare`,
            ...(other === undefined ? { disabledReason: 'There is no other revision' } : {}),
          },
          {
            label: 'Log on a page of its own',
            icon: <ScrollText aria-hidden="true" />,
            href: paths.revisionLogs(place),
            ...reason('readLogs'),
          },
          'line',
          {
            label: 'Delete revision',
            icon: <Trash2 aria-hidden="true" />,
            isDanger: true,
            onSelect: () => setAsked('delete'),
            ...reason('delete'),
          },
        ]}
      />
      <Suspense fallback={null}>
        {state.rollback !== '' && back === undefined && (
          <RollbackDialog revision={revision} button={button} onClose={() => set({ rollback: '' }, { replace: true })} />
        )}
        {asked && <RevisionActionDialog revision={revision} action={asked} onClose={() => setAsked(undefined)} />}
      </Suspense>
    </>
  );
}
