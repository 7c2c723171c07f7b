/** Compares development with production: which revision serves in each, and whether both run the same image. */
import { serviceList, type Service } from '@slipway/contract/service/service.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { classNames } from '@slipway/ui/class-names.ts';
import { MiddleTruncate } from '@slipway/ui/text/MiddleTruncate.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { cellMain, Table, type Column } from '@slipway/ui/list/Table.tsx';
import { useQuery } from '#kit/api/query.ts';
import { paths } from '#entities/paths.ts';
import { compareServices, type ComparedService } from './compare-services.ts';
import css from './ServiceList.module.css';

const servicesRead = 100;
const shown = 8;

/** Phones hide the table header, so each cell names its environment. */
function Serving({ service, word }: { service: Service | undefined; word: string }) {
  return (
    <>
      <span className="only-phone meta">{word} </span>
      <ServingRevision service={service} />
    </>
  );
}

function ServingRevision({ service }: { service: Service | undefined }) {
  if (!service) return <span className="meta">–</span>;
  const revision = service.status.serving;
  const place = { app: service.app, env: service.environment, service: service.name };
  return (
    <Link className="quiet" href={paths.service(place)} title={service.status.imageTag ?? undefined}>
      {revision ? `rev ${revision.slice(revision.lastIndexOf('-') + 1)}` : 'none'}
    </Link>
  );
}

const columns: Column<ComparedService>[] = [
  {
    key: 'name',
    header: 'Service',
    phone: 'title',
    cell: ({ name, production, development }) => {
      const { app = '', environment = 'development' } = production ?? development ?? {};
      return (
        <Link className={cellMain} href={paths.service({ app, env: environment, service: name })}>
          <MiddleTruncate text={name} tail={10} className={css.compared ?? ''} />
        </Link>
      );
    },
  },
  {
    key: 'development',
    header: 'Development',
    phone: 'meta',
    cell: ({ development }) => <Serving service={development} word="Development" />,
  },
  {
    key: 'production',
    header: 'Production',
    phone: 'status',
    cell: ({ production }) => <Serving service={production} word="Production" />,
  },
  {
    key: 'verdict',
    header: 'Difference',
    align: 'end',
    phone: 'end',
    cell: ({ verdict, isSame }) => <span className={classNames(css.short, isSame && 'meta')}>{verdict}</span>,
  },
];

export function EnvironmentCompare({ app }: { app: string }) {
  const query = { size: servicesRead };
  const development = useQuery(serviceList, { params: { app, env: 'development' }, query });
  const production = useQuery(serviceList, { params: { app, env: 'production' }, query });
  if (!development.data || !production.data) return null;
  const rows = compareServices(development.data.content, production.data.content);
  if (rows.length === 0) return null;
  return (
    <Panel aria-labelledby="environment-compare">
      <PanelHead title="Development vs production" titleId="environment-compare">
        <Link href={paths.promoteApp({ app })}>Compare everything</Link>
      </PanelHead>
      <Table
        label="Development vs production"
        density="compact"
        columns={columns}
        rows={rows.slice(0, shown)}
        rowKey={({ name }) => name}
      />
    </Panel>
  );
}
