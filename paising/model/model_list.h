/* The kinds of model, a line each: MODEL(name), of which a file in model/ defines `const model_kind NAME_kind`. The first is the
 * default. */
MODEL(square)
MODEL(cubic)
MODEL(glass2d)
MODEL(glass3d)
MODEL(potts2d)
MODEL(potts3d)
MODEL(blume_capel2d)
MODEL(blume_capel3d)
MODEL(baxter_wu)
