/** Settings of the installation, for administrators: announcements to all users, the links of the shell, and people who left. */
import { installationUpdate, installationView, type Announcement, type Installation } from '@slipway/contract/installation.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Loading } from '@slipway/ui/feedback/Loading.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { Panel, PanelBody, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { rowActions } from '#kit/list/columns.tsx';
import { AdministratorPage, useIsAdministrator } from './AdministratorPage.tsx';
import { AnnouncementDialog } from './AnnouncementDialog.tsx';
import { LinksForm, type Save } from './LinksForm.tsx';
import { PeoplePhotos } from './PeoplePhotos.tsx';
import { PeopleStanding } from './PeopleStanding.tsx';

export function Component() {
  const query = useQuery(installationView, useIsAdministrator() && {}, { pollMs: 0 });
  const write = useWrite(installationUpdate);
  const current = query.data;
  const save: Save = async (change) => {
    if (!current) return;
    const { updatedAt: _at, updatedBy: _by, ...settings } = current;
    const saved = await write.send({ body: { ...settings, ...change } }).catch((error: unknown) => {
      // Somebody else may have saved: the next attempt needs the newest revision.
      void query.mutate();
      throw error;
    });
    await query.mutate(saved, { revalidate: false });
    toast.success('Settings saved', { detail: 'People see them when they reload the console.' });
  };
  return (
    <AdministratorPage
      name="Platform settings"
      lede="Announcements and links of this installation."
      what="settings"
      noRight="Ask an administrator to change an announcement or a link."
      query={query}
    >
      <Announcements current={current} save={save} />
      <Panel aria-labelledby="links">
        <PanelHead title="Links" titleId="links" />
        <PanelBody>
          <Loading isLoading={!current} label="Loading links" skeleton={<Skeleton height={320} />}>
            {current && <LinksForm key={linksOf(current)} current={current} save={save} />}
          </Loading>
        </PanelBody>
        {current?.updatedBy && (
          <PanelFoot>
            <span>
              Changed <RelativeTime at={current.updatedAt ?? ''} /> by {current.updatedBy.displayName}
            </span>
          </PanelFoot>
        )}
      </Panel>
      <PeoplePhotos />
      <PeopleStanding />
    </AdministratorPage>
  );
}

/** Changes when somebody changes a link, and not with an announcement, so that typed links stay. */
const linksOf = ({ announcements: _all, revision: _revision, updatedAt: _at, updatedBy: _by, ...links }: Installation): string =>
  JSON.stringify(links);

function Announcements({ current, save }: { current: Installation | undefined; save: Save }) {
  const [edited, setEdited] = useState<Announcement | 'new'>();
  const all = current?.announcements ?? [];
  const others = all.filter(({ id }) => edited === 'new' || id !== edited?.id);
  const remove = ({ id, header }: Announcement): void =>
    confirmAction({
      title: `Delete ${header}?`,
      description: 'Users no longer see it.',
      confirmLabel: 'Delete announcement',
      busyLabel: 'Deleting',
      run: () => save({ announcements: all.filter((announcement) => announcement.id !== id) }),
    });
  const columns: Column<Announcement>[] = [
    {
      key: 'header',
      header: 'Announcement',
      phone: 'title',
      cell: ({ header, message }) => (
        <>
          <strong>{header}</strong> <span className="quiet">{message}</span>
        </>
      ),
    },
    {
      key: 'state',
      header: 'State',
      phone: 'status',
      cell: ({ enabled }) => (enabled ? <Status tone="ok">Shown</Status> : <Status tone="off">Hidden</Status>),
    },
    {
      ...rowActions,
      phone: 'action',
      cell: (announcement) => (
        <span className="row">
          <Button size="sm" variant="quiet" aria-label={`Edit ${announcement.header}`} onClick={() => setEdited(announcement)}>
            Edit
          </Button>
          <Button size="sm" variant="quiet" aria-label={`Delete ${announcement.header}`} onClick={() => remove(announcement)}>
            Delete
          </Button>
        </span>
      ),
    },
  ];
  return (
    <Panel aria-labelledby="announcements">
      <PanelHead title="Announcements" titleId="announcements">
        <Button icon={<Plus aria-hidden="true" />} onClick={() => setEdited('new')}>
          New announcement
        </Button>
      </PanelHead>
      {current && all.length === 0 ? (
        <EmptyState level={3} kind="first-use" title="No announcements" isCompact>
          An announcement is a banner on every page: maintenance, a survey, a new feature. Each user can close it.
        </EmptyState>
      ) : (
        <Table label="Announcements" columns={columns} rows={all} rowKey={({ id }) => id} isLoading={!current} />
      )}
      {edited !== undefined && (
        <AnnouncementDialog
          {...(edited === 'new' ? {} : { announcement: edited })}
          onSave={(announcement) => save({ announcements: [...others, announcement] })}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Panel>
  );
}
