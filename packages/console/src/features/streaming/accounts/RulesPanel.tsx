/** The account's rules on the cluster, compared with its grants. Rules made by others are shown and never changed. */
import type { Account } from '@slipway/contract/streaming/account.ts';
import { accountRepair, accountRulesView, type AccountRules } from '@slipway/contract/streaming/account-rights.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { PanelFoot } from '@slipway/ui/layout/Panel.tsx';
import type { Column, RowGroup } from '@slipway/ui/list/Table.tsx';
import { refresh } from '#entities/changes/refresh.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { sayEnd } from '#entities/pipeline/run-follower.ts';
import { useEngineQuery, type AccountPlace } from '#features/streaming/use-place.ts';

type Rule = AccountRules['rules'][number];

const matches: Readonly<Record<string, string>> = { literal: 'exact', prefixed: 'begins with' };
const states: Readonly<Record<Exclude<Rule['state'], 'THERE'>, string>> = {
  MISSING: 'Not on the cluster',
  FOREIGN: 'Not made by Slipway',
  SURPLUS: 'Wanted no more',
};
const origin = ({ from, state }: Rule): string => {
  if (state === 'FOREIGN') return 'somebody else';
  if (from === null) return 'its own reader groups';
  return `${from.operation === 'READ' ? 'reads' : 'writes'} ${from.topic}`;
};

const columns: Column<Rule>[] = [
  { key: 'on', header: 'On', phone: 'title', cell: ({ resource }) => resource },
  { key: 'name', header: 'Name', phone: 'meta', cell: ({ name }) => <code>{name}</code> },
  { key: 'match', header: 'Match', phone: 'meta', cell: ({ pattern }) => matches[pattern] ?? pattern },
  {
    key: 'may',
    header: 'May',
    phone: 'meta',
    cell: ({ operation, permission }) => (permission === 'deny' ? `not ${operation}` : operation),
  },
  { key: 'from', header: 'Comes from', phone: 'meta', cell: (rule) => <span className="quiet">{origin(rule)}</span> },
  {
    key: 'state',
    header: 'Cluster',
    phone: 'status',
    cell: ({ state }) => (state === 'THERE' ? <span className="quiet">Same</span> : <Status tone="warn">{states[state]}</Status>),
  },
];

/** During a password overlap there are two users, so rules are grouped by user. Otherwise each rule would appear twice. */
const byUser = (rules: Rule[]): { rows: Rule[] } | { groups: RowGroup<Rule>[] } => {
  const users = [...new Set(rules.map(({ user }) => user))];
  if (users.length < 2) return { rows: rules };
  return { groups: users.map((user) => ({ key: user, label: <code>{user}</code>, rows: rules.filter((rule) => rule.user === user) })) };
};

export function RulesPanel({ place, account, team }: { place: AccountPlace; account: Account; team: string }) {
  const rules = useEngineQuery(place, accountRulesView, { params: { ...place } }, { pollMs: 30_000, isAlwaysPolled: true });
  const { data } = rules;
  const own = (data?.rules ?? []).filter(({ state }) => state !== 'FOREIGN');
  return (
    <ListPanel
      label="Rules on the cluster"
      plural="rules"
      list={rules}
      head={{ title: 'Rules on the cluster', ...(data ? { note: `${count(own.length, 'rule')}, made from the topics above` } : {}) }}
      columns={columns}
      {...byUser(data?.rules ?? [])}
      rowKey={({ resource, name, pattern, operation, user, host, permission }) =>
        [resource, name, pattern, operation, user, host, permission].join(' ')
      }
      density="compact"
      mostRows={50}
      phone="flow"
      empty={
        <EmptyState kind="first-use" title="No rules" isCompact>
          It may do nothing until it has a topic.
        </EmptyState>
      }
    >
      {data && <Foot place={place} account={account} team={team} rules={data} />}
    </ListPanel>
  );
}

function Foot({ place, account, team, rules }: { place: AccountPlace; account: Account; team: string; rules: AccountRules }) {
  const write = useWrite(accountRepair);
  const wrong = rules.rules.filter(({ state }) => state === 'MISSING' || state === 'SURPLUS');
  const missingUsers = rules.users.filter(({ isThere }) => !isThere);
  if (!rules.isCompared) {
    return (
      <PanelFoot>
        <Status tone="idle">Not compared: the cluster does not answer</Status>
      </PanelFoot>
    );
  }
  if (wrong.length === 0 && missingUsers.length === 0) {
    return (
      <PanelFoot>
        <Status tone="ok">The cluster has exactly these</Status>
        <span>No wildcard, no right to create, none on the cluster itself.</span>
      </PanelFoot>
    );
  }
  const differences = wrong.length + missingUsers.length;
  return (
    <PanelFoot>
      <Status tone="warn">{count(differences, 'difference')}</Status>
      <span className="push">
        <Button
          size="sm"
          disabledReason={reasonOf(account.can, 'repair', { team })}
          onClick={() =>
            confirmAction({
              title: `Put ${count(differences, 'difference')} right?`,
              description: 'Adds missing rules and removes Slipway’s rules that are no longer wanted. Rules made by others are left alone.',
              confirmLabel: 'Put right',
              busyLabel: 'Starting',
              variant: 'primary',
              run: async () => {
                const run = await write.send({ params: { ...place } });
                await refresh({ kind: 'account', app: place.app, env: place.env });
                void sayEnd(run, { done: `${account.name} and the cluster match`, failed: `${account.name} could not be made to match` });
              },
            })
          }
        >
          Put right
        </Button>
      </span>
    </PanelFoot>
  );
}
