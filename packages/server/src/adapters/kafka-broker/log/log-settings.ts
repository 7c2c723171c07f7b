/** What a log does by. Made from the topic's configs (topics/topic-configs.ts) whenever those change. */
export interface LogSettings {
  readonly segmentBytes: number;
  readonly segmentMs: number;
  /** -1 for ever. */
  readonly retentionMs: number;
  /** Of each partition; -1 for no limit. */
  readonly retentionBytes: number;
  readonly isDeleted: boolean;
  readonly isCompacted: boolean;
  readonly maxMessageBytes: number;
  /** For so long a tombstone is kept after it was compacted first. */
  readonly deleteRetentionMs: number;
  readonly minCleanableRatio: number;
  readonly minCompactionLagMs: number;
  readonly maxCompactionLagMs: number;
  readonly hasAppendTime: boolean;
  readonly timestampBeforeMaxMs: number;
  readonly timestampAfterMaxMs: number;
}
