/** The shortest program that uses the account, filled in, for common clients. It contains no password. */
import type { Account } from '@slipway/contract/streaming/account.ts';
import { schemaView } from '@slipway/contract/streaming/schema.ts';
import { snippetFacts, snippetTopic, snippetUses, type SnippetUse } from '@slipway/contract/streaming/snippets/facts.ts';
import { snippetLabels, snippetLanguages, snippetOf, type SnippetLanguage } from '@slipway/contract/streaming/snippets/snippets.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { Panel, PanelBody, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { CodeBlock } from '@slipway/ui/text/CodeBlock.tsx';
import { useQuery } from '#kit/api/query.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import { sampleOf } from '#features/streaming/messages/sample-value.ts';

const useLabels: Readonly<Record<SnippetUse, string>> = { read: 'Read', write: 'Write' };
/** A sample value for the topic that the program writes. The schema of another app's topic is not readable here. */
const useSample = (account: Account, use: SnippetUse, named: string | undefined): unknown => {
  const topic = snippetTopic(account, use, named);
  const schema = use === 'write' && topic?.applicationCode === account.applicationCode ? topic.valueSchema : null;
  const params = { app: account.applicationCode, env: account.environmentClass, schema: schema?.name ?? '' };
  const { data } = useQuery(schemaView, schema !== null && { params }, { pollMs: 0 });
  return data && sampleOf(data.type, data.content);
};
const defaults = { with: 'node', use: '' };

/** `topic`: name on the cluster, to select one of several topics. */
export function SnippetsPanel({ account, topic }: { account: Account; topic?: string }) {
  const { state, set } = useUrlState(defaults);
  const language: SnippetLanguage = snippetLanguages.find((name) => name === state.with) ?? 'node';
  const listed = { read: account.consumeTopics, write: account.produceTopics };
  const may = (one: SnippetUse) =>
    topic === undefined ? listed[one].length > 0 : listed[one].some(({ topicName }) => topicName === topic);
  const first: SnippetUse = may('read') && topic === undefined ? 'read' : may('write') ? 'write' : 'read';
  const use: SnippetUse = snippetUses.find((name) => name === state.use) ?? first;
  const facts = snippetFacts(account, use, { topic, sample: useSample(account, use, topic) });
  return (
    <Panel aria-labelledby="use-it">
      <PanelHead title="Use it" titleId="use-it">
        <Segmented
          label="Language"
          options={snippetLanguages.map((value) => ({ value, label: snippetLabels[value] }))}
          value={language}
          onChange={(next) => set({ with: next }, { replace: true })}
        />
        <Segmented
          label="Direction"
          options={snippetUses.map((value) => ({ value, label: useLabels[value] }))}
          value={use}
          onChange={(next) => set({ use: next }, { replace: true })}
        />
      </PanelHead>
      {facts ? (
        <>
          <PanelBody>
            <CodeBlock code={snippetOf(language, use, facts)} what="code" />
          </PanelBody>
          <PanelFoot>Reads user and password from the environment, as the secret group gives them. No password is in the code.</PanelFoot>
        </>
      ) : (
        <EmptyState kind="first-use" title={`It may ${use} no topic yet`} isCompact>
          Add a topic that it {use}s, and a program stands here, filled in.
        </EmptyState>
      )}
    </Panel>
  );
}
