/** The commits between two revisions and their diff, in a dialog. */
import type { RevisionSourceChanges } from '@slipway/contract/service/diagnosis.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { useState } from 'react';
import { DiffLines, DiffSection, DiffTable } from '#kit/diff/DiffTable.tsx';
import { patchFiles } from '#kit/diff/patch-lines.ts';
import { revisionNumber } from '#entities/pipeline/index.ts';

export const pushedNext = 'Look at what was pushed, fix it, and push again. The push starts a new pipeline.';

export interface SourceDiffProps {
  since: string;
  source: RevisionSourceChanges;
  variant?: 'primary' | 'default';
}

export function SourceDiff({ since, source, variant = 'default' }: SourceDiffProps) {
  const [isOpen, setOpen] = useState(false);
  const { commits, commitCount, isCut, patch } = source;
  const close = (): void => setOpen(false);
  return (
    <>
      <Button variant={variant} onClick={() => setOpen(true)}>
        Show the diff
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={close}
        size="lg"
        title={`Pushed since revision ${revisionNumber(since)}`}
        actions={<Button onClick={close}>Close</Button>}
        {...(isCut ? { footNote: 'The diff is too long to be shown whole.' } : {})}
      >
        <div className="stack stack-12">
          <ul className="stack stack-8">
            {commits.map(({ sha, message, author }) => (
              <li key={sha}>
                <code>{sha.slice(0, 7)}</code> {message} <span className="quiet">by {author}</span>
              </li>
            ))}
            {commitCount > commits.length && (
              <li className="quiet">{(commitCount - commits.length).toLocaleString('en')} earlier commits</li>
            )}
          </ul>
          <DiffTable label="Diff">
            {patchFiles(patch).map(({ path, lines }) => (
              <DiffSection key={path} title={path}>
                <DiffLines lines={lines} />
              </DiffSection>
            ))}
          </DiffTable>
        </div>
      </Dialog>
    </>
  );
}
