/** Entries of one layer: its changes to a file tree. File contents are stored separately under numbers, so that no name can escape. */

/** Paths are normal: relative, POSIX, no `.`, `..` or empty part. */
export type LayerEntry =
  | { readonly kind: 'directory'; readonly path: string }
  /** `content` names the file that holds the bytes in the layer's own directory. */
  | { readonly kind: 'file'; readonly path: string; readonly content: string; readonly size: number; readonly isExecutable: boolean }
  | { readonly kind: 'symlink'; readonly path: string; readonly target: string }
  | { readonly kind: 'hardlink'; readonly path: string; readonly target: string }
  /** Removes what the layers below have at the path. */
  | { readonly kind: 'whiteout'; readonly path: string }
  /** Empties what the layers below have in the directory. */
  | { readonly kind: 'opaque'; readonly path: string };

type Parts = Partial<Record<'kind' | 'path' | 'content' | 'target' | 'size', unknown>>;
const hasPathAlone = new Set<unknown>(['directory', 'whiteout', 'opaque']);
const hasTarget = new Set<unknown>(['symlink', 'hardlink']);

/**
 * Parses one line of an entry list. Validates by hand, because the process that reads the list starts for every image, and loading a
 * library would take longer than its work.
 */
export const parseLayerEntry = (line: string): LayerEntry => {
  const value = JSON.parse(line) as Parts & LayerEntry;
  const { kind, path, content, target, size }: Parts = value;
  const isFile = kind === 'file' && typeof content === 'string' && /^\d+$/.test(content) && typeof size === 'number';
  const isWhole = isFile || hasPathAlone.has(kind) || (hasTarget.has(kind) && typeof target === 'string');
  if (!isWhole || typeof path !== 'string') throw new Error('a line of the list of entries is damaged');
  return value;
};
