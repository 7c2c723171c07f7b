/** The flags of an app in a list, and the chosen one beside it. */
import { flagList } from '@slipway/contract/flag/flag.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { SearchInput } from '@slipway/ui/form/SearchInput.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody } from '@slipway/ui/layout/Panel.tsx';
import { useState } from 'react';
import { useParams } from 'react-router';
import { paths } from '#entities/paths.ts';
import { useAppPlace } from '#entities/team/use-app-place.ts';
import { useQuery } from '#kit/api/query.ts';
import { FirstUse } from '#kit/list/FirstUse.tsx';
import { BesideList, SideItem, SideList } from '#kit/list/SideList.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { useSearchText, useUrlState } from '#kit/state/url-state.ts';
import { FlagDialog } from './FlagDialog.tsx';
import { FlagPanel } from './FlagPanel.tsx';
import { reachOf, staleText } from './flag-labels.ts';
import css from './Flags.module.css';

type State = 'ACTIVE' | 'STALE' | 'ARCHIVED';
const states = [
  { value: 'ACTIVE', label: 'Active' },
  { value: 'STALE', label: 'Stale' },
  { value: 'ARCHIVED', label: 'Archived' },
] as const;

export function Component() {
  const { app, env = 'development' } = useAppPlace();
  const { flag: name } = useParams();
  const { state: url, set } = useUrlState({ query: '', state: 'ACTIVE', page: '0' });
  const [text, setText] = useSearchText(url.query, (query) => set({ query, page: '0' }));
  const [isMaking, setMaking] = useState(false);
  const state = states.find(({ value }) => value === url.state)?.value ?? 'ACTIVE';
  const filter = { state, page: Number(url.page) || 0, size: 50, ...(url.query === '' ? {} : { query: url.query }) };
  const list = useQuery(flagList, { params: { app }, query: filter }, { keepPreviousData: true });
  usePageTitle([name ?? 'Feature flags', app, env]);
  const flags = list.data?.content ?? [];
  const chosen = name ?? flags[0]?.name;
  const newButton = (
    <Button variant={flags.length === 0 ? 'primary' : 'default'} size="sm" onClick={() => setMaking(true)}>
      New flag
    </Button>
  );
  // Outside of both branches, so that the dialog keeps its input when the list arrives.
  const dialog = isMaking && <FlagDialog place={{ app, env }} onClose={() => setMaking(false)} />;
  const isEmpty = list.data?.totalElements === 0 && url.query === '' && state === 'ACTIVE' && name === undefined;
  const first = isEmpty && (
    <Panel aria-label="Flags">
      <EmptyState
        kind="first-use"
        level={2}
        title="No flags yet"
        actions={
          <>
            {newButton}
            <Link className="in" href={paths.flags({ app, env }, 'client-keys')}>
              Client keys
            </Link>
          </>
        }
      >
        <FirstUse
          purpose="A flag turns a feature on for some people, a share of them, or everyone, without a deploy. Programs read it with a client key."
          label="In your code, with any GrowthBook SDK"
          code="if (growthbook.isOn('new-view')) showNewView();"
        />
      </EmptyState>
    </Panel>
  );
  const all = !isEmpty && (
    <BesideList>
      <SideList
        title="Flags"
        list={list}
        action={newButton}
        tools={
          <>
            <Segmented<State> label="State" options={[...states]} value={state} onChange={(next) => set({ state: next, page: '0' })} />
            <SearchInput label="Filter flags" value={text} onChange={setText} hasShortcut />
          </>
        }
        empty={list.data && flags.length === 0 && 'No flag matches.'}
        foot={
          list.data &&
          list.data.totalPages > 1 && (
            <PanelBody className={css.pages}>
              <Button
                size="sm"
                {...(list.data.first ? { disabledReason: 'This is the first page' } : {})}
                onClick={() => set({ page: String(filter.page - 1) })}
              >
                Previous
              </Button>
              <Button
                size="sm"
                {...(list.data.last ? { disabledReason: 'This is the last page' } : {})}
                onClick={() => set({ page: String(filter.page + 1) })}
              >
                Next
              </Button>
            </PanelBody>
          )
        }
      >
        {flags.map((flag) => (
          <SideItem
            key={flag.name}
            name={flag.name}
            href={paths.flag({ app, env, flag: flag.name })}
            isCurrent={flag.name === chosen}
            look={reachOf(flag[env])}
            isCode
          >
            {flag.description !== '' && <span className="meta ell">{flag.description}</span>}
            {flag.stale && <span className="meta">{staleText[flag.stale]}</span>}
          </SideItem>
        ))}
      </SideList>
      {chosen !== undefined && <FlagPanel key={`${chosen} ${env}`} place={{ app, env }} name={chosen} />}
    </BesideList>
  );
  return (
    <>
      {first}
      {all}
      {dialog}
    </>
  );
}
