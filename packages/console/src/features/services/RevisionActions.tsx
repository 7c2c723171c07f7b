/** What one can do with a revision: enable or disable it, delete it. What is not possible now says why. */
import { runOf } from '@slipway/contract/plan.ts';
import { revisionActivation, revisionDelete, type Revision } from '@slipway/contract/revision.ts';
import { Button } from '@slipway/ui/Button.tsx';
import { ConfirmDialog } from '@slipway/ui/ConfirmDialog.tsx';
import { IconButton } from '@slipway/ui/IconButton.tsx';
import { LinkButton } from '@slipway/ui/LinkButton.tsx';
import { Menu } from '@slipway/ui/Menu.tsx';
import { toast } from '@slipway/ui/toast.ts';
import { Ellipsis, ScrollText, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useWrite } from '#api/write.ts';
import { reportError } from '#lib/global-error.ts';
import { reasonOf } from '#lib/messages.ts';
import { paths } from '#lib/paths.ts';
import { logsPath } from './service-paths.ts';
import { revisionConfirm, type RevisionDeed } from './revision-confirm.ts';

export interface RevisionActionsProps {
  revision: Revision;
  team: string;
  /** The revision that serves now. */
  serving: string | null;
}

export function RevisionActions({ revision, team, serving }: RevisionActionsProps) {
  const [asked, setAsked] = useState<RevisionDeed>();
  const place = { app: revision.app, env: revision.environment, service: revision.service, revision: revision.name };
  const toggle: RevisionDeed = revision.enabled ? 'disable' : 'enable';
  const removal = reasonOf(revision.can, 'delete', { team });
  const logs = reasonOf(revision.can, 'readLogs', { team });
  return (
    <>
      <LinkButton href={logsPath(place)} icon={<ScrollText aria-hidden="true" />} {...(logs === undefined ? {} : { disabledReason: logs })}>
        Logs
      </LinkButton>
      <Menu
        trigger={<IconButton label={`More actions for ${revision.name}`} icon={<Ellipsis aria-hidden="true" />} />}
        items={[
          {
            label: 'Delete revision',
            icon: <Trash2 aria-hidden="true" />,
            isDanger: true,
            onSelect: () => setAsked('delete'),
            ...(removal === undefined ? {} : { disabledReason: removal }),
          },
        ]}
      />
      <Button
        variant={toggle === 'enable' && revision.status !== 'FAILING' ? 'primary' : 'default'}
        disabledReason={reasonOf(revision.can, toggle, { team })}
        onClick={() => setAsked(toggle)}
      >
        {toggle === 'enable' ? 'Enable' : 'Disable'}
      </Button>
      <Confirm revision={revision} serving={serving} asked={asked} onClose={() => setAsked(undefined)} />
    </>
  );
}

function Confirm({
  revision,
  serving,
  asked,
  onClose,
}: Pick<RevisionActionsProps, 'revision' | 'serving'> & { asked: RevisionDeed | undefined; onClose: () => void }) {
  const activation = useWrite(revisionActivation);
  const removal = useWrite(revisionDelete);
  // The dialog keeps its words while it closes.
  const [deed, setDeed] = useState<RevisionDeed>('disable');
  if (asked !== undefined && asked !== deed) setDeed(asked);
  const place = { app: revision.app, env: revision.environment, service: revision.service };
  const confirm = async (): Promise<void> => {
    const params = { ...place, revision: revision.name };
    try {
      const run =
        deed === 'delete' ? await removal.send({ params }) : await activation.send({ params, body: { enabled: deed === 'enable' } });
      toast.success(`${revision.name} is being ${deed}d`, {
        href: paths.pipeline({ ...place, pipeline: runOf(run).pipelineId }),
        linkLabel: 'View pipeline',
      });
    } catch (error) {
      reportError(error);
    }
    onClose();
  };
  return (
    <ConfirmDialog
      {...revisionConfirm(deed, revision, serving)}
      isOpen={asked !== undefined}
      onClose={onClose}
      onConfirm={() => void confirm()}
      isBusy={activation.isBusy || removal.isBusy}
    />
  );
}
