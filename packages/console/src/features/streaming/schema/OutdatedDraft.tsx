/** Someone else saved a version: their changes beside the draft, and ways to continue. The draft is never lost. */
import type { Schema } from '@slipway/contract/streaming/schema.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Panel, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { DiffLines, DiffSection, DiffTable } from '#kit/diff/DiffTable.tsx';
import { textLines, wholeLine } from '#kit/diff/text-lines.ts';
import type { SchemaDraft } from './use-schema-draft.ts';

/** Link target of Save while the draft is outdated. */
export const outdatedId = 'newer';

const linesOf = (before: string, after: string) =>
  before.trimEnd() === after.trimEnd()
    ? [wholeLine('gap', 'The content is the same', false)]
    : textLines(before.trimEnd(), after.trimEnd());

export function OutdatedDraft({ draft, schema }: { draft: SchemaDraft; schema: Schema }) {
  const { base, content, merged, goOn, discard } = draft;
  const version = `Version ${schema.revisionId ?? '–'}`;
  return (
    <Panel id={outdatedId} tabIndex={-1} aria-labelledby="newer-title">
      <PanelHead
        title={`${version} was saved meanwhile`}
        titleId="newer-title"
        note={
          <>
            {schema.updatedBy.displayName}, <RelativeTime at={schema.updatedAt} isShort />
          </>
        }
      />
      <DiffTable label={`${version} and your draft, each against version ${base.revisionId}`} isFlush>
        <DiffSection title={`${schema.updatedBy.displayName} changed, since version ${base.revisionId}`}>
          <DiffLines lines={linesOf(base.content, schema.content)} />
        </DiffSection>
        <DiffSection title="You changed">
          <DiffLines lines={linesOf(base.content, content)} />
        </DiffSection>
      </DiffTable>
      <PanelFoot>
        <span>
          {merged === undefined
            ? 'Both changed the same lines. Going on with yours leaves out what the other changed.'
            : 'The changes do not touch each other: yours fit on top.'}
        </span>
        <span className="push row row-wrap">
          <Button size="sm" variant="quiet" onClick={discard}>
            Take {version.toLowerCase()}
          </Button>
          {merged === undefined ? (
            <Button size="sm" onClick={() => goOn(content)}>
              Go on with mine
            </Button>
          ) : (
            <Button size="sm" variant="primary" onClick={() => goOn(merged)}>
              Take over my changes
            </Button>
          )}
        </span>
      </PanelFoot>
    </Panel>
  );
}
