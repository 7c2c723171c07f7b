/** Chooses which fields of the values become columns. */
import { Button } from '@slipway/ui/form/Button.tsx';
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { useState } from 'react';

export interface ColumnsProps {
  columns: readonly string[];
  /** Available fields of the values. */
  paths: readonly string[];
  onColumns: (columns: readonly string[]) => void;
}

export function ColumnsButton(props: ColumnsProps) {
  const [isChoosing, setChoosing] = useState(false);
  return (
    <>
      <Button
        size="sm"
        variant="quiet"
        disabledReason={props.paths.length === 0 ? 'The values have no fields' : undefined}
        onClick={() => setChoosing(true)}
      >
        Choose columns
      </Button>
      {isChoosing && <ColumnsDialog {...props} onClose={() => setChoosing(false)} />}
    </>
  );
}

function ColumnsDialog({ columns, paths, onColumns, onClose }: ColumnsProps & { onClose: () => void }) {
  const toggle = (path: string): void => onColumns(columns.includes(path) ? columns.filter((one) => one !== path) : [...columns, path]);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Columns of the list"
      description="Kept for you and this topic. The detail is always the whole value."
      actions={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="stack stack-8">
        {paths.map((path) => (
          <Checkbox key={path} label={<code>{path}</code>} checked={columns.includes(path)} onChange={() => toggle(path)} />
        ))}
      </div>
    </Dialog>
  );
}
