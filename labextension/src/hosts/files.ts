/** The file types that contain a program, for all hosts. */
interface ProgramFile {
  readonly name: string;
  readonly displayName: string;
  readonly extension?: `.${string}`;
  /** If the extension is not specific enough. */
  readonly pattern?: string;
  readonly mimeType: string;
}

export const PROGRAM_FILES: readonly ProgramFile[] = [
  {
    name: "exir-viz-pt2",
    displayName: "PyTorch Exported Program",
    extension: ".pt2",
    mimeType: "application/x-pytorch-pt2",
  },
  {
    name: "exir-viz-pte",
    displayName: "ExecuTorch Program",
    extension: ".pte",
    mimeType: "application/x-executorch-pte",
  },
  {
    name: "exir-viz-etrecord",
    displayName: "ExecuTorch ETRecord",
    extension: ".etrecord",
    // ExecuTorch's own examples name it etrecord.bin.
    pattern: "etrecord[^/]*\\.bin$",
    mimeType: "application/x-executorch-etrecord",
  },
  {
    name: "exir-viz-snapshot",
    displayName: "exir_viz Snapshot",
    extension: ".exirviz",
    mimeType: "application/x-exirviz",
  },
  {
    name: "exir-viz-profile",
    displayName: "exir_viz Profile",
    extension: ".exirprofile",
    mimeType: "application/x-exirprofile",
  },
];

/** Whether a file is a program file, by its name. */
export const isProgramFile = (name: string): boolean =>
  PROGRAM_FILES.some(
    ({ extension, pattern }) =>
      (extension && name.toLowerCase().endsWith(extension)) || (pattern && new RegExp(pattern).test(name)),
  );
