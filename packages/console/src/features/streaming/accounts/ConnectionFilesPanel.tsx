/** Configuration files for terminals and Kafka's own tools, filled in and ready to copy. They contain no password. */
import type { Account } from '@slipway/contract/streaming/account.ts';
import {
  connectionFileLabels,
  connectionFileNames,
  connectionFileOf,
  type ConnectionFileName,
} from '@slipway/contract/streaming/snippets/connection-files.ts';
import { connectionFacts } from '@slipway/contract/streaming/snippets/facts.ts';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { Panel, PanelBody, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { CodeBlock } from '@slipway/ui/text/CodeBlock.tsx';
import { useUrlState } from '#kit/state/url-state.ts';

const AUTHORITY = 'kafka-ca.pem';
type FileName = ConnectionFileName | typeof AUTHORITY;
const labels: Readonly<Record<FileName, string>> = { ...connectionFileLabels, [AUTHORITY]: AUTHORITY };
const notes: Readonly<Record<FileName, string>> = {
  terminal: 'Once in each terminal. What you paste as the password is neither shown nor kept in its history.',
  'client.properties': "For Kafka's own tools and Java programs. User and password come from the environment.",
  'librdkafka.config': 'For kcat and others with librdkafka. The command writes the password into a file that only you can read.',
  [AUTHORITY]: "The authority that signed the brokers' certificates. It is no secret.",
};
const defaults = { file: 'terminal' };

export function ConnectionFilesPanel({ account }: { account: Account }) {
  const { state, set } = useUrlState(defaults);
  const facts = connectionFacts(account);
  if (!facts) return null;
  const authority = account.connection?.certificateAuthority ?? null;
  const names: readonly FileName[] = authority === null ? connectionFileNames : [...connectionFileNames, AUTHORITY];
  const name = names.find((one) => one === state.file) ?? 'terminal';
  return (
    <Panel aria-labelledby="connection-files">
      <PanelHead title="Connection files" titleId="connection-files">
        <Segmented
          label="File"
          options={names.map((value) => ({ value, label: labels[value] }))}
          value={name}
          onChange={(file) => set({ file }, { replace: true })}
        />
      </PanelHead>
      <PanelBody>
        <CodeBlock code={name === AUTHORITY ? (authority ?? '') : connectionFileOf(name, facts)} what={labels[name]} />
      </PanelBody>
      <PanelFoot>{notes[name]}</PanelFoot>
    </Panel>
  );
}
