/** One account: topics, rules on the cluster, password, permission check, and how a program uses it. */
import { accountKind } from '@slipway/contract/kinds/account.kind.ts';
import { accountView, type Account } from '@slipway/contract/streaming/account.ts';
import { paths } from '#entities/paths.ts';
import { EntityBar } from '#entities/resource/EntityBar.tsx';
import { EntityNotice } from '#entities/resource/EntityNotice.tsx';
import { EntityPage } from '#entities/resource/EntityPage.tsx';
import { entityRoute, type EntityScreenProps } from '#entities/resource/entity-route.tsx';
import { AwayNotice } from '#features/streaming/BrokerNotice.tsx';
import type { AccountPlace } from '#features/streaming/use-place.ts';
import { AccountHeader } from './AccountHeader.tsx';
import { ConnectionFilesPanel } from './ConnectionFilesPanel.tsx';
import { ConnectionPanel } from './ConnectionPanel.tsx';
import { GroupsPanel } from './GroupsPanel.tsx';
import { PasswordOnce } from './password/PasswordOnce.tsx';
import { PasswordPanel } from './password/PasswordPanel.tsx';
import { RightPanel } from './RightPanel.tsx';
import { RulesPanel } from './RulesPanel.tsx';
import { SnippetsPanel } from './SnippetsPanel.tsx';
import { TopicsPanel } from './TopicsPanel.tsx';
import { useAccountRemoval } from './use-account-removal.ts';

export const { Component, preload } = entityRoute({
  kind: accountKind,
  route: accountView,
  isMembersOnly: true,
  Screen: AccountScreen,
});

function AccountScreen({ place, at: { team }, entity: account }: EntityScreenProps<AccountPlace, Account>) {
  return (
    <EntityPage
      title={[place.account, place.app, place.env]}
      header={<AccountHeader place={place} account={account} team={team} />}
      bar={
        <EntityBar
          env={place.env}
          hrefOf={(env) => (env === place.env ? paths.account(place) : paths.events({ app: place.app, env }, 'accounts'))}
          pipelineId={account?.status.pipelineId ?? null}
        />
      }
    >
      {account && <Content key={account.id} place={place} account={account} team={team} />}
    </EntityPage>
  );
}

function Content({ place, account, team }: { place: AccountPlace; account: Account; team: string }) {
  const { discard } = useAccountRemoval(place, account);
  return (
    <>
      <AwayNotice place={place} />
      <EntityNotice showsFailedChange kind={accountKind} names={place} entity={account} team={team} discard={discard} />
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
