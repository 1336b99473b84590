// What every user of JupyterLab loads is small: the loader's own property names are shortened too. They stay within
// the loader; names that JupyterLab reads (get, loaded, from, eager) are not among them.
const { rspack } = require("@rspack/core");

const OWN_NAMES = [
  "chunkMapping",
  "consumesLoadingData",
  "fallback",
  "import",
  "initialConsumes",
  "initializeSharingData",
  "moduleIdToConsumeDataMapping",
  "requiredVersion",
  "scopeToSharingDataMapping",
  "shareKey",
  "shareScope",
  "singleton",
  "strictVersion",
  "treeShakingMode",
  "uniqueName",
];

module.exports = {
  output: { filename: "[name].js?v=[contenthash]" },
  optimization: {
    // By order: other numbers are made of paths, and differ with the name of the folder.
    moduleIds: "natural",
    chunkIds: "natural",
    minimizer: [
      new rspack.SwcJsMinimizerRspackPlugin({
        test: /remoteEntry/,
        minimizerOptions: { mangle: { props: { regex: `^(${OWN_NAMES.join("|")})$` } } },
      }),
      new rspack.SwcJsMinimizerRspackPlugin({ exclude: /remoteEntry/ }),
    ],
  },
};
