/** Settings of a log. Computed from the topic's configs (topics/topic-configs.ts) whenever those change. */
export interface LogSettings {
  readonly segmentBytes: number;
  readonly segmentMs: number;
  /** -1 for no limit. */
  readonly retentionMs: number;
  /** Bytes per partition. -1 for no limit. */
  readonly retentionBytes: number;
  readonly isDeleted: boolean;
  readonly isCompacted: boolean;
  readonly maxMessageBytes: number;
  /** How long a tombstone is kept after its first compaction. */
  readonly deleteRetentionMs: number;
  readonly minCleanableRatio: number;
  readonly minCompactionLagMs: number;
  readonly maxCompactionLagMs: number;
  readonly hasAppendTime: boolean;
  readonly timestampBeforeMaxMs: number;
  readonly timestampAfterMaxMs: number;
}
