/** One account: topics, rules on the cluster, password, permission check, and how a program uses it. */
import { accountKind } from '@slipway/contract/streaming/account.kind.ts';
import type { Account } from '@slipway/contract/streaming/account.ts';
import { NotFound } from '#entities/NotFound.tsx';
import { PageError } from '#entities/PageError.tsx';
import { paths } from '#entities/paths.ts';
import { LifecycleNotice } from '#entities/resource/LifecycleNotice.tsx';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { AwayNotice } from '#features/streaming/BrokerNotice.tsx';
import { EventsWaterline } from '#features/streaming/EventsWaterline.tsx';
import { AccountHeader } from './AccountHeader.tsx';
import { AccountsNoRight } from './AccountsNoRight.tsx';
import { ConnectionFilesPanel } from './ConnectionFilesPanel.tsx';
import { ConnectionPanel } from './ConnectionPanel.tsx';
import { GroupsPanel } from './GroupsPanel.tsx';
import { PasswordOnce } from './password/PasswordOnce.tsx';
import { PasswordPanel } from './password/PasswordPanel.tsx';
import { RightPanel } from './RightPanel.tsx';
import { RulesPanel } from './RulesPanel.tsx';
import { SnippetsPanel } from './SnippetsPanel.tsx';
import { TopicsPanel } from './TopicsPanel.tsx';
import { useAccount, type AccountPlace } from './use-account.ts';
import { useAccountRemoval } from './use-account-removal.ts';

export function Component() {
  const { at, place, query, account } = useAccount();
  usePageTitle([account?.name ?? place?.account, at.app, place?.env]);
  if (place === undefined) return <NotFound />;
  if (at.query.error && !at.application) return <PageError what={`app ${at.app}`} query={at.query} />;
  if (at.isMember === false) {
    return (
      <>
        <PageHeader isList hasSkip={false} name={place.account} typeLabel="Account" />
        <PageBody>
          <AccountsNoRight noRight={at.noRight} />
        </PageBody>
      </>
    );
  }
  if (query.error && !account) return <PageError what={`account ${place.account}`} query={query} />;
  return (
    <>
      <AccountHeader place={place} account={account} team={at.team} />
      <EventsWaterline
        env={place.env}
        hrefOf={(env) => (env === place.env ? paths.account(place) : paths.events({ app: place.app, env }, 'accounts'))}
        pipelineId={account?.status.pipelineId}
      />
      <PageBody padding="flush" className="stack stack-24" isTall>
        {account && <AccountScreen key={account.id} place={place} account={account} team={at.team} />}
      </PageBody>
    </>
  );
}

function AccountScreen({ place, account, team }: { place: AccountPlace; account: Account; team: string }) {
  const { discard } = useAccountRemoval(place, account);
  const { app, env } = place;
  return (
    <>
      <AwayNotice place={place} />
      <LifecycleNotice
        showsFailedChange
        noun="account"
        subject={{ kind: accountKind.kind, names: { app, env, account: account.name } }}
        state={account.state}
        can={account.can}
        team={team}
        onDiscard={() => confirmAction(discard)}
      />
      {account.state === 'ACTIVE' && (
        <>
          <PasswordOnce place={place} account={account} />
          <div className="split split-side">
            <div className="stack stack-24">
              <TopicsPanel place={place} account={account} team={team} />
              <RulesPanel place={place} account={account} team={team} />
              {account.consumeTopics.length > 0 && <GroupsPanel place={place} />}
              <SnippetsPanel account={account} />
              <ConnectionFilesPanel account={account} />
            </div>
            <aside className="stack stack-24" aria-label="Password and connection">
              <PasswordPanel place={place} account={account} team={team} />
              <RightPanel place={place} account={account} />
              <ConnectionPanel place={place} account={account} />
            </aside>
          </div>
        </>
      )}
    </>
  );
}
