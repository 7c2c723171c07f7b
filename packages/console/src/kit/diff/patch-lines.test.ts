import { expect, test } from 'vitest';
import { patchFiles } from './patch-lines.ts';

const patch = `diff --git a/src/app.js b/src/app.js
index 1111111..2222222 100644
--- a/src/app.js
+++ b/src/app.js
@@ -3,3 +3,3 @@ const server
 const port = 1;
--- a counter that goes down
-if (url === '/healthz') ok();
+if (url === '/health') ok();
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
\\ No newline at end of file
diff --git a/a b.png b/a b.png
Binary files a/a b.png and b/a b.png differ
`;

test('reads each file with its lines', () => {
  const files = patchFiles(patch).map(({ path, lines }) => [path, lines.map(({ kind, parts }) => `${kind} ${parts[0]?.text}`)]);
  expect(files).toEqual([
    [
      'src/app.js',
      [
        'gap Line 3',
        'same const port = 1;',
        'del -- a counter that goes down',
        "del if (url === '/healthz') ok();",
        "add if (url === '/health') ok();",
      ],
    ],
    ['old.txt', ['gap Line 0', 'del gone']],
    ['a b.png', ['gap No lines to show: the file is binary or empty']],
  ]);
  expect(patchFiles('')).toEqual([]);
});
