/** The app's container registry: where images go, which repositories there are, and the robot accounts to log in with. */
import { containerRegistryView, type ContainerRegistry } from '@slipway/contract/container-registry.ts';
import { CommandLine } from '@slipway/ui/text/CommandLine.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Panel, PanelBody } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { cellMain, type Column } from '@slipway/ui/list/Table.tsx';
import type { ReactNode } from 'react';
import { isStatus } from '#kit/api/errors.ts';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { RobotAccounts } from './RobotAccounts.tsx';

type Repository = ContainerRegistry['repositories'][number];

const columns: Column<Repository>[] = [
  { key: 'repository', header: 'Repository', phone: 'title', cell: (row) => <code className={cellMain}>{row.repository}</code> },
  { key: 'tags', header: 'Tags', align: 'end', phone: 'status', cell: (row) => `${row.tags} ${row.tags === 1 ? 'tag' : 'tags'}` },
  { key: 'updated', header: 'Last push', align: 'end', phone: 'end', cell: (row) => <RelativeTime at={row.updatedAt} isShort /> },
];

interface RegistryTabProps {
  place: { app: string; env: string };
  /** Whom to ask, where the reader is not in the team. */
  noRight: ReactNode;
}

export default function RegistryTab({ place, noRight }: RegistryTabProps) {
  const query = useQuery(containerRegistryView, { params: place });
  if (query.error && !query.data) {
    return (
      <Panel aria-label="Container registry">
        {isStatus(query.error, 404) ? (
          <EmptyState level={2} kind="no-right" title="The registry is for members of the team">
            {noRight}
          </EmptyState>
        ) : (
          <ListError what="container registry" query={query} />
        )}
      </Panel>
    );
  }
  return (
    <>
      <Repositories query={query} />
      <RobotAccounts place={place} query={query} />
    </>
  );
}

function Repositories({ query }: { query: QueryResult<typeof containerRegistryView> }) {
  const { data: registry } = query;
  return (
    <ListPanel
      label="Repositories"
      plural="repositories"
      list={query}
      head={{ title: 'Repositories', note: 'One project for both environments' }}
      columns={columns}
      rows={registry?.repositories ?? []}
      rowKey={(row) => row.repository}
      empty={
        <EmptyState level={3} kind="first-use" title="There are no images yet">
          Push one under the app's project; a quickstart and each push to a repository make one, too.
        </EmptyState>
      }
    >
      {registry && (
        <PanelBody className="stack stack-8">
          <p className="meta">Push by hand, after a login with a robot account or an API token of scope registry:</p>
          <CommandLine command={`docker push ${registry.host}/${registry.project}/<service>:<tag>`} />
        </PanelBody>
      )}
    </ListPanel>
  );
}
