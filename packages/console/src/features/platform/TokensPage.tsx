/** The user's own API tokens: create one, see it once, revoke it. */
import { meTokenDelete, meTokenList, type ApiToken } from '@slipway/contract/identity.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { useNow } from '@slipway/ui/use-now.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { PlainPage } from '#kit/page/PlainPage.tsx';
import { rowActions } from '#kit/list/columns.tsx';
import { NewTokenCard, NewTokenDialog, type MadeToken } from './NewTokenDialog.tsx';

const soonMs = 7 * 86_400_000;

const stateOf = (leftMs: number): 'expired' | 'soon' | 'good' => {
  if (leftMs <= 0) return 'expired';
  return leftMs < soonMs ? 'soon' : 'good';
};

function Expiry({ at }: { at: string }) {
  const state = useNow((now) => stateOf(new Date(at).getTime() - now));
  if (state === 'expired') return <Status tone="idle">Expired</Status>;
  if (state === 'soon') {
    return (
      <Status tone="warn">
        <RelativeTime at={at} isShort />
      </Status>
    );
  }
  return <RelativeTime at={at} isShort />;
}

/** Phones hide the table header, so the cell includes the word. */
function Expires({ at }: { at: string }) {
  return (
    <span className="row">
      <span className="only-phone meta">Expires</span>
      <Expiry at={at} />
    </span>
  );
}

const columnsFor = (onRevoke: (token: ApiToken) => void): Column<ApiToken>[] => [
  { key: 'name', header: 'Name', phone: 'title', cell: (token) => <strong>{token.name}</strong> },
  {
    key: 'scopes',
    header: 'Scopes',
    phone: 'meta',
    cell: (token) => (
      <span className="row row-wrap">
        {token.scopes.map((scope) => (
          <Tag key={scope}>{scope}</Tag>
        ))}
      </span>
    ),
  },
  { key: 'created', header: 'Created', cell: (token) => <RelativeTime at={token.createdAt} isShort /> },
  {
    key: 'parent',
    header: 'Made with',
    cell: (token) => (token.parent ? `the token ${token.parent.name}` : <span className="meta">sign-in</span>),
  },
  {
    key: 'used',
    header: 'Last used',
    cell: (token) => (token.lastUsedAt ? <RelativeTime at={token.lastUsedAt} isShort /> : <span className="meta">never</span>),
  },
  { key: 'expires', header: 'Expires', phone: 'end', cell: (token) => <Expires at={token.expiresAt} /> },
  {
    ...rowActions,
    phone: 'status',
    cell: (token) => (
      <Button size="sm" aria-label={`Revoke ${token.name}`} onClick={() => onRevoke(token)}>
        Revoke
      </Button>
    ),
  },
];

export function Component() {
  const tokens = useQuery(meTokenList, {});
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<MadeToken>();
  const revoke = useRevoke((token) => {
    if (made?.id === token.id) setMade(undefined);
    void tokens.mutate();
  });
  return (
    <PlainPage
      name="API tokens"
      lede="For scripts, CI, git and docker. A token can do what you can do, within its scopes."
      actions={
        <Button variant="primary" icon={<Plus aria-hidden="true" />} onClick={() => setMaking(true)}>
          New token
        </Button>
      }
      className="stack stack-24"
    >
      {made && <NewTokenCard token={made} onClose={() => setMade(undefined)} />}
      <ListPanel
        label="API tokens"
        plural="API tokens"
        list={tokens}
        columns={columnsFor(revoke)}
        rows={tokens.data ?? []}
        rowKey={(token) => token.id}
        empty={
          <EmptyState
            level={2}
            kind="first-use"
            title="You have no API tokens"
            actions={<Button onClick={() => setMaking(true)}>New token</Button>}
          >
            A token lets a program call the API, clone and push repositories, or push images in your name.
          </EmptyState>
        }
      />
      {isMaking && (
        <NewTokenDialog
          onClose={() => setMaking(false)}
          onMade={(token) => {
            setMade(token);
            void tokens.mutate();
          }}
        />
      )}
    </PlainPage>
  );
}

/** Revokes the token and all tokens created with it. */
const useRevoke = (onDone: (token: ApiToken) => void) => {
  const revoke = useWrite(meTokenDelete);
  return (token: ApiToken): void =>
    confirmAction({
      title: `Revoke ${token.name}?`,
      description: 'Programs that use this token, or a token created with it, stop working immediately. This cannot be undone.',
      confirmLabel: 'Revoke token',
      busyLabel: 'Revoking',
      run: async () => {
        await revoke.send({ params: { tokenId: token.id } });
        toast.success(`${token.name} is revoked`);
        onDone(token);
      },
    });
};
