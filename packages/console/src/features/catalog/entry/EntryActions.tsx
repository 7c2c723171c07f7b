/** The buttons of an entry's header. */
import { Button } from '@slipway/ui/form/Button.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Menu, type MenuItem } from '@slipway/ui/overlay/Menu.tsx';
import { Archive, Ellipsis, Flag, Pencil, Plus, RotateCcw } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { paths } from '#entities/paths.ts';
import { reasonOf } from '#kit/error/messages.ts';
import type { Entry } from '#features/catalog/entry-kinds.ts';
import { IssueDialog, PutBackDialog } from './EntryDialogs.tsx';

const EditEntryDialog = lazy(() => import('#features/catalog/form/EditEntryDialog.tsx'));

export function EntryActions({ entry, reload }: { entry: Entry; reload: () => void }) {
  const [open, setOpen] = useState<'edit' | 'issue' | 'back'>();
  const { kind, id, name, status } = entry;
  const close = (): void => setOpen(undefined);
  const dialog = { entry, onClose: close, reload };
  const below = { platform: 'application', portfolio: 'platform' } as const;
  const items: MenuItem[] = [
    ...(kind === 'platform' || kind === 'portfolio'
      ? [
          {
            label: `Onboard ${kind === 'platform' ? 'an application' : 'a platform'} here`,
            icon: <Plus aria-hidden="true" />,
            href: paths.newCatalogEntry(below[kind], { [kind]: id }),
          },
        ]
      : []),
    ...(kind === 'application' && status === 'ACTIVE'
      ? [{ label: 'Report an issue', icon: <Flag aria-hidden="true" />, onSelect: () => setOpen('issue') }]
      : []),
    status === 'DECOMMISSIONED'
      ? { label: 'Put back', icon: <RotateCcw aria-hidden="true" />, onSelect: () => setOpen('back'), ...reason(entry, 'putBack') }
      : {
          label: 'Decommission',
          icon: <Archive aria-hidden="true" />,
          isDanger: true,
          href: paths.decommission({ kind, id }),
          ...reason(entry, 'decommission'),
        },
  ];
  return (
    <>
      <Menu trigger={<IconButton label={`More actions for ${name}`} icon={<Ellipsis aria-hidden="true" />} />} items={items} />
      {status !== 'DECOMMISSIONED' && (
        <Button variant="primary" icon={<Pencil aria-hidden="true" />} onClick={() => setOpen('edit')} {...reason(entry, 'update')}>
          Edit
        </Button>
      )}
      {open === 'edit' && (
        <Suspense fallback={null}>
          <EditEntryDialog {...dialog} />
        </Suspense>
      )}
      {open === 'issue' && <IssueDialog {...dialog} />}
      {open === 'back' && <PutBackDialog {...dialog} />}
    </>
  );
}

const reason = (entry: Entry, verb: string): { disabledReason?: string } => {
  const text = reasonOf(entry.can, verb);
  return text === undefined ? {} : { disabledReason: text };
};
