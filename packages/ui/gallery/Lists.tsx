// Strip, tabs, tables with their four states, pages, menus.
import { Copy, Ellipsis, GitBranch, Play, Plus, Power, RotateCw, ScrollText, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Avatar } from '../src/text/Avatar.tsx';
import { Badge } from '../src/feedback/Badge.tsx';
import { Button } from '../src/form/Button.tsx';
import { Details } from '../src/layout/Details.tsx';
import { EmptyState } from '../src/feedback/EmptyState.tsx';
import { IconButton } from '../src/form/IconButton.tsx';
import { KeyValue } from '../src/layout/KeyValue.tsx';
import { Link } from '../src/layout/Link.tsx';
import { LinkButton } from '../src/form/LinkButton.tsx';
import { createMenuHandle, Menu, type MenuItem, MenuTrigger, RowMenu } from '../src/overlay/Menu.tsx';
import { MiniSteps } from '../src/figures/MiniSteps.tsx';
import { Pagination } from '../src/list/Pagination.tsx';
import { Panel, PanelBody, PanelFoot, PanelHead } from '../src/layout/Panel.tsx';
import { Status } from '../src/feedback/Status.tsx';
import { PageStrip } from '../src/layout/PageStrip.tsx';
import { cellMain, type Sorting, Table } from '../src/list/Table.tsx';
import { TabsNav } from '../src/layout/TabsNav.tsx';
import { DeployHistory } from '../src/figures/DeployHistory.tsx';
import type { Tone } from '../src/tone.ts';
import { Section } from './Section.tsx';

interface App {
  name: string;
  team: string;
  tone: Tone;
  word: string;
  by: string;
  when: string;
}

const URGENT: App[] = [
  { name: 'crane-telemetry', team: 'Terminal Operations', tone: 'bad', word: 'Failing 1/3', by: 'Rahul Deshmukh', when: '41 min ago' },
];
const WELL: App[] = [
  { name: 'berth-planner', team: 'Terminal Operations', tone: 'ok', word: 'Healthy', by: 'Ingrid Solheim', when: '48 s ago' },
  { name: 'demurrage-billing', team: 'Commercial Finance', tone: 'warn', word: 'Pending', by: 'Kwame Boateng', when: 'yesterday' },
];
const DAYS = [1, 4, 2, 4, 1, 0, 0, 2, 2, 2, 1, 2, 0, 0].map((deploys, index) => ({ deploys, failed: index === 11 ? 1 : 0 }));

const ACTIONS: MenuItem[] = [
  { label: 'Run pipeline', icon: <Play />, href: '/run', keys: 'R' },
  { label: 'Copy service', icon: <Copy />, href: '/copy', keys: 'C' },
  { label: 'Connect to GitHub', icon: <GitBranch />, href: '/github' },
  'line',
  { label: 'Deactivate', icon: <Power />, onSelect: () => undefined },
  { label: 'Delete', icon: <Trash2 />, isDanger: true, disabledReason: 'Unable to delete service with existing revisions' },
];
const rowMenu = createMenuHandle<App>();

function Apps() {
  const [sort, setSort] = useState<Sorting>({ key: 'app', isDescending: false });
  return (
    <Panel aria-label="All apps">
      <Table
        label="All apps"
        groups={[
          { key: 'urgent', label: 'Needs a look', rows: URGENT },
          { key: 'well', label: 'Running well', rows: WELL },
        ]}
        rowKey={(app) => app.name}
        sort={sort}
        onSort={setSort}
        columns={[
          {
            key: 'app',
            header: 'App',
            isSortable: true,
            phone: 'title',
            cell: (app) => (
              <Link className={cellMain} href={`/apps/${app.name}`}>
                {app.name}
              </Link>
            ),
          },
          { key: 'production', header: 'Production', phone: 'status', cell: (app) => <Status tone={app.tone}>{app.word}</Status> },
          { key: 'team', header: 'Team', isSortable: true, phone: 'meta', cell: (app) => <span className="quiet">{app.team}</span> },
          { key: 'tide', header: 'Deploys, 14 days', cell: () => <DeployHistory days={DAYS} /> },
          { key: 'steps', header: 'Pipeline', cell: () => <MiniSteps done={5} total={8} /> },
          {
            key: 'last',
            header: 'Last deploy',
            phone: 'end',
            cell: (app) => (
              <span className="row">
                <span className="only-wide">
                  <Avatar name={app.by} />
                </span>
                <span className="only-wide">{app.by}</span>
                <span className="meta push">{app.when}</span>
              </span>
            ),
          },
          {
            key: 'actions',
            header: 'Actions',
            isHeaderHidden: true,
            align: 'end',
            width: 44,
            phone: 'action',
            cell: (app) => (
              <MenuTrigger
                handle={rowMenu}
                row={app}
                render={
                  <IconButton size="sm" variant="quiet" label={`More actions for ${app.name}`} icon={<Ellipsis aria-hidden="true" />} />
                }
              />
            ),
          },
        ]}
      />
      <RowMenu handle={rowMenu} itemsOf={(app) => [{ heading: app.name }, ...ACTIONS]} />
      <PanelFoot>
        <span>1 to 3 of 112</span>
        <span className="push">
          <Pagination page={4} pageCount={12} hrefOf={(page) => `/apps?page=${page}`} label="apps" />
        </span>
      </PanelFoot>
    </Panel>
  );
}

function Header() {
  return (
    <Panel>
      <PageStrip
        typeLabel="Service"
        name="berth-planner-api"
        copyText="berth-planner-api"
        status={<Badge tone="ok">Healthy</Badge>}
        crumbs={[
          { label: 'Apps', href: '/apps' },
          { label: 'berth-planner', href: '/apps/b' },
          { label: 'Production', href: '/p' },
          { label: 'berth-planner-api' },
        ]}
        actions={
          <>
            <LinkButton href="/logs" icon={<ScrollText aria-hidden="true" />}>
              Logs
            </LinkButton>
            <Menu
              trigger={<IconButton label="More actions for berth-planner-api" icon={<Ellipsis aria-hidden="true" />} />}
              items={ACTIONS}
            />
            <LinkButton href="/run" variant="primary" icon={<Play aria-hidden="true" />}>
              Run pipeline
            </LinkButton>
          </>
        }
      >
        <Details
          items={[
            {
              label: 'URL',
              value: <Link href="/u">berth-planner-api.slipway.dev</Link>,
              copyText: 'https://berth-planner-api.slipway.dev',
              isWide: true,
            },
            { label: 'Serving', value: <Link href="/r">Revision 34</Link> },
            { label: 'Image tag', value: <span className="mono">2026.11.18-b81d07a</span>, copyText: '2026.11.18-b81d07a' },
            { label: 'Region', value: 'West Europe', isWideOnly: true },
          ]}
        />
        <TabsNav
          label="Service"
          items={[
            { label: 'Revisions', href: '/revisions', isCurrent: true, count: 35 },
            { label: 'Pipelines', href: '/pipelines', count: 1212 },
            { label: 'Logs and metrics', href: '/logs' },
            { label: 'Settings', href: '/settings', count: 3, countKind: 'change' },
          ]}
        />
      </PageStrip>
    </Panel>
  );
}

function States() {
  const columns = [
    { key: 'name', header: 'Service', phone: 'title' as const, cell: (row: string) => row },
    { key: 'status', header: 'Status', phone: 'status' as const, cell: () => null },
    { key: 'time', header: 'Last deploy', phone: 'end' as const, align: 'end' as const, cell: () => null },
  ];
  return (
    <>
      <Section title="Loading, after 150 ms" width="third">
        <Panel>
          <PanelHead level={3} title="Services" />
          <Table label="Services" columns={columns} rows={[]} rowKey={(row) => row} isLoading />
        </Panel>
      </Section>
      <Section title="No match" width="third">
        <Panel>
          <PanelHead level={3} title="Services" />
          <EmptyState kind="no-match" title="No service is called “plannr”" isCompact actions={<Button size="sm">Clear the filter</Button>}>
            5 services are hidden by the filter.
          </EmptyState>
        </Panel>
      </Section>
      <Section title="No right" width="third">
        <Panel>
          <PanelHead level={3} title="Services" />
          <EmptyState kind="no-right" title="Logs are for members of the team" isCompact>
            You are not in Commercial Finance. Ask Kwame Boateng or Sofía Marín.
          </EmptyState>
        </Panel>
      </Section>
      <Section title="Error, never shown as empty">
        <Panel>
          <PanelHead level={3} title="Services" note="Last read 14:04">
            <Button size="sm" icon={<Plus aria-hidden="true" />}>
              Add
            </Button>
          </PanelHead>
          <EmptyState
            kind="error"
            title="The services could not be loaded"
            actions={
              <>
                <Button icon={<RotateCw aria-hidden="true" />}>Try now</Button>
                <LinkButton variant="quiet" href="/status">
                  Platform status
                </LinkButton>
              </>
            }
          >
            This is not an empty list. We try again every 4 seconds; attempt 3 of 10.
          </EmptyState>
        </Panel>
      </Section>
      <Section title="Facts">
        <Panel>
          <PanelHead level={3} title="Runs with">
            <Link href="/settings">Settings</Link>
          </PanelHead>
          <PanelBody>
            <KeyValue
              items={[
                { label: 'CPU', value: '500 m = 0.5 CPU' },
                { label: 'Memory', value: '768 MB' },
                { label: 'Health check', value: <span className="mono">GET /healthz</span> },
              ]}
            />
          </PanelBody>
        </Panel>
      </Section>
    </>
  );
}

export function Lists() {
  return (
    <>
      <Section title="Header strip" width="full">
        <Header />
      </Section>
      <Section title="Table" width="full">
        <Apps />
      </Section>
      <States />
    </>
  );
}
