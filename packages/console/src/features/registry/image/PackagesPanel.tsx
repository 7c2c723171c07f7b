/** The packages that a scan found in an image, worst vulnerabilities first. Collapsed by default. */
import { imagePackageList, type ImagePackage } from '@slipway/contract/registry/scan.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { SearchInput } from '@slipway/ui/form/SearchInput.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Pagination } from '@slipway/ui/list/Pagination.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { useQuery } from '#kit/api/query.ts';
import { pageCountOf } from '#kit/list/list-total.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { useInPageLinks } from '#kit/page/in-page-links.ts';
import { useSearchText, useUrlState } from '#kit/state/url-state.ts';
import { severityTone } from '#features/registry/scan-labels.ts';
import { imageParams, useScan, type ImageRef } from '#features/registry/ScanStatus.tsx';

const defaults = { packages: '', package: '', from: 0 };
const pageSize = 20;

const columns: Column<ImagePackage>[] = [
  {
    key: 'name',
    header: 'Package',
    phone: 'title',
    cell: ({ name, purl }) => (
      <code className="strong" title={purl}>
        {name}
      </code>
    ),
  },
  { key: 'version', header: 'Version', phone: 'end', cell: ({ version }) => <code>{version}</code> },
  { key: 'ecosystem', header: 'Kind', phone: 'meta', cell: ({ ecosystem }) => ecosystem },
  {
    key: 'found',
    header: 'Known',
    phone: 'status',
    cell: ({ vulnerabilities, worst }) =>
      worst === null ? (
        <span className="meta">–</span>
      ) : (
        <Status tone={severityTone[worst]}>{`${vulnerabilities} ${worst}${vulnerabilities > 1 ? ' or less' : ''}`}</Status>
      ),
  },
];

export function PackagesPanel({ image }: { image: ImageRef }) {
  const { state, set, hrefOf } = useUrlState(defaults);
  const { data: scan } = useScan(image);
  const total = scan?.result?.packages ?? null;
  if (total === null || total === 0) return null;
  const isOpen = state.packages === 'open';
  const toggle = (
    <Button
      size="sm"
      aria-expanded={isOpen}
      onClick={() => set({ packages: isOpen ? '' : 'open', package: '', from: 0 }, { replace: true })}
    >
      {isOpen ? 'Hide packages' : 'Show packages'}
    </Button>
  );
  const note = count(total, 'package');
  if (!isOpen) {
    return (
      <Panel aria-labelledby="packages">
        <PanelHead title="Packages" titleId="packages" note={note}>
          {toggle}
        </PanelHead>
      </Panel>
    );
  }
  return <OpenPackages image={image} note={note} toggle={toggle} state={state} set={set} hrefOf={hrefOf} />;
}

type OpenProps = ReturnType<typeof useUrlState<typeof defaults>> & { image: ImageRef; note: string; toggle: React.ReactNode };
function OpenPackages({ image, note, toggle, state, set, hrefOf }: OpenProps) {
  const onClickCapture = useInPageLinks();
  const [text, setText] = useSearchText(state.package, (next) => set({ package: next, from: 0 }, { replace: true }));
  const list = useQuery(
    imagePackageList,
    { params: imageParams(image), query: { page: state.from, size: pageSize, ...(state.package === '' ? {} : { query: state.package }) } },
    { keepPreviousData: true },
  );
  return (
    <div className="stack stack-12" onClickCapture={onClickCapture}>
      <ListPanel
        label="Packages"
        plural="packages"
        list={list}
        head={{
          title: 'Packages',
          note,
          children: (
            <>
              <SearchInput label="Filter packages" value={text} onChange={setText} />
              {toggle}
            </>
          ),
        }}
        columns={columns}
        rows={list.data?.content ?? []}
        rowKey={({ purl, path }) => `${purl} ${path ?? ''}`}
        density="compact"
        empty={
          <EmptyState kind="no-match" title={`No package matches “${state.package}”`} isCompact>
            All packages were searched.
          </EmptyState>
        }
      />
      <Pagination label="packages" page={state.from + 1} pageCount={pageCountOf(list.data)} hrefOf={(page) => hrefOf({ from: page - 1 })} />
    </div>
  );
}
